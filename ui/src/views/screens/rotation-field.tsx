import { useId } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { ROTATIONS, type Rotation } from './display-settings.ts';

interface RotationFieldProps {
  value: Rotation;
  onChange: (value: Rotation) => void;
  disabled: boolean;
}

/** How the screen hangs, as four pictures: what it shows is upright, and its foot is where it has to be for that. */
export function RotationField({ value, onChange, disabled }: RotationFieldProps) {
  const id = useId();
  return (
    <fieldset class="field" disabled={disabled}>
      <legend>{t('screens.rotation')}</legend>
      <div class="screens-rotations">
        {ROTATIONS.map((one) => (
          <label key={one} class="screens-rotation">
            <input
              type="radio"
              name={id}
              value={one}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            <span>
              <Turned degrees={one} />
              {t(`screens.rotation_${one}`)}
            </span>
          </label>
        ))}
      </div>
      <p class="field-hint">{t('screens.rotation_hint')}</p>
    </fieldset>
  );
}

/** The picture is turned clockwise on the screen, so it is upright on a screen that is turned the other way. */
function Turned({ degrees }: { degrees: Rotation }) {
  return (
    <svg class="screens-turned" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
      <g transform={`rotate(${-degrees} 24 24)`}>
        <rect class="screens-glass" x="6" y="12" width="36" height="24" rx="2" />
        <path d="M24 36v5M17 41.500h14" />
      </g>
      <path class="screens-shown" d="m19.500 29 4.500-11 4.500 11M21.200 25.500h5.600" />
    </svg>
  );
}
