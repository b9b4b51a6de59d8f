import { useRef, useState } from 'preact/hooks';
import type { DisplayState } from '../../app/device-state.ts';
import { whatIsShown } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { NoPicture, PictureAge } from '../../parts/picture.tsx';
import { type Pace, type ScreenPicture, usePicture } from '../../parts/use-picture.ts';
import type { InputEvent } from './inputs.ts';
import { type Place, screenSize, spotAt } from './place.ts';
import { inputsOfWheel, PointerInput, type PressMode } from './pointer.ts';

interface SurfaceProps {
  state: DisplayState;
  pace: Pace;
  mode: PressMode;
  /** Keys go to the device. */
  isTyping: boolean;
  /** Where the pointer was put last. */
  marker: Place | undefined;
  onInput: (events: InputEvent[]) => void;
  /** A press that is not by a finger: what is typed next is for the device. */
  onMouse: () => void;
}

/** A picture of the screen that takes presses, moves and the wheel. */
export function Surface(props: SurfaceProps) {
  const picture = usePicture(props.state, props.pace);
  if (picture.address === undefined) return <NoPicture state={props.state} picture={picture} />;
  return (
    <figure class="remote-picture">
      <Screen {...props} picture={picture} />
      <figcaption>
        <PictureAge picture={picture} />
      </figcaption>
    </figure>
  );
}

function Screen({
  state,
  picture,
  mode,
  isTyping,
  marker,
  onInput,
  onMouse,
}: SurfaceProps & { picture: ScreenPicture }) {
  const element = useRef<HTMLDivElement>(null);
  const [pointer] = useState(() => new PointerInput());
  const screen = screenSize(picture, state.resolution, state.rotation);
  /** @param at of a mouse event, in the window */
  const spotOf = ({ clientX, clientY }: MouseEvent) => {
    const { left, top, width, height } = element.current?.getBoundingClientRect() ?? new DOMRect();
    return spotAt({ width, height }, screen, { x: clientX - left, y: clientY - top });
  };
  const momentOf = (event: PointerEvent) => ({
    id: event.pointerId,
    buttons: event.buttons,
    spot: spotOf(event),
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboards have their own control below
    <div
      ref={element}
      class={isTyping ? 'remote-stage remote-stage-typing' : 'remote-stage'}
      // The styles fit the frame into this box in the same way as spotAt does.
      style={{ '--remote-shape': screen.width / screen.height }}
      onPointerDown={(event) => {
        const events = pointer.begin(momentOf(event), mode);
        if (events.length === 0) return;
        capture(event.currentTarget, event.pointerId);
        if (event.pointerType !== 'touch') onMouse();
        onInput(events);
      }}
      onPointerMove={(event) => onInput(pointer.move(momentOf(event), screen))}
      onPointerUp={(event) => {
        onInput(pointer.move(momentOf(event), screen));
        onInput(pointer.end(event.pointerId));
      }}
      onPointerCancel={({ pointerId }) => onInput(pointer.end(pointerId))}
      onLostPointerCapture={({ pointerId }) => onInput(pointer.end(pointerId))}
      // The focus stays where keys are taken.
      onMouseDown={(event) => event.preventDefault()}
      onContextMenu={(event) => event.preventDefault()}
      onWheel={(event) => {
        // With Control, or two fingers, the browser enlarges its page.
        if (event.ctrlKey) return;
        event.preventDefault();
        onInput(inputsOfWheel(event, spotOf(event)));
      }}
    >
      <div class="remote-frame">
        <img
          src={picture.address}
          alt={t('picture.alt', { what: whatIsShown(state) })}
          draggable={false}
          style={{ height: `${(100 * picture.height) / screen.height}%` }}
        />
        {screen.height > picture.height && <p>{t('remote.keyboard_part')}</p>}
        {marker && (
          <span
            class="remote-marker"
            aria-hidden="true"
            style={{ left: `${100 * marker.x}%`, top: `${100 * marker.y}%` }}
          />
        )}
      </div>
    </div>
  );
}

/** The pointer's events go to an element until it is released, also outside of it. */
function capture(element: HTMLElement, id: number): void {
  try {
    element.setPointerCapture(id);
  } catch {
    // It was released meanwhile, and the event of that follows.
  }
}
