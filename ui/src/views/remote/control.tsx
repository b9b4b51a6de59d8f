import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type DisplayState, display } from '../../app/device-state.ts';
import { howItGoes, whatIsShown } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { SegmentedField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { DisplayWords } from '../../parts/display-words.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { KeyButtons } from './key-buttons.tsx';
import { Keyboard } from './keyboard.tsx';
import { InputPace } from './pace.ts';
import { PRESS_MODES, type PressMode } from './pointer.ts';
import { inject } from './remote-setting.ts';
import { InputSender } from './sender.ts';
import { Surface } from './surface.tsx';
import { TextForm } from './text-form.tsx';

/** The picture and all that acts on the screen. @param onDone called after each input that was done */
export function Control({ onDone }: { onDone: () => void }) {
  const done = useRef(onDone);
  done.current = onDone;
  const [pace] = useState(() => new InputPace());
  const [sender] = useState(
    () =>
      new InputSender({
        send: inject,
        done: () => {
          pace.hurry();
          done.current();
        },
      }),
  );
  // Nothing stays pressed when the user is somewhere else.
  useEffect(() => {
    addEventListener('blur', sender.release);
    addEventListener('pagehide', sender.release);
    document.addEventListener('visibilitychange', sender.release);
    return () => {
      removeEventListener('blur', sender.release);
      removeEventListener('pagehide', sender.release);
      document.removeEventListener('visibilitychange', sender.release);
      sender.close();
    };
  }, [sender]);
  return (
    <>
      <Card title={t('remote.screen')}>
        <Loaded of={display} lines={8}>
          {(state) => <ScreenControl state={state} sender={sender} pace={pace} />}
        </Loaded>
      </Card>
      <div class="columns">
        <KeyButtons sender={sender} />
        <TextForm sender={sender} />
      </div>
    </>
  );
}

interface ScreenControlProps {
  state: DisplayState;
  sender: InputSender;
  pace: InputPace;
}

function ScreenControl({ state, sender, pace }: ScreenControlProps) {
  const [mode, setMode] = useState<PressMode>('left');
  const [isTyping, setTyping] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const keyboard = useRef<HTMLButtonElement>(null);
  const words = howItGoes(state);
  const { x, y } = sender.place.value ?? { x: 0.5, y: 0.5 };
  return (
    <div class="remote-screen" ref={whole}>
      <Surface
        state={state}
        pace={pace}
        mode={mode}
        isTyping={isTyping}
        marker={sender.place.value}
        onInput={(events) => sender.do('picture', events)}
        onMouse={() => {
          keyboard.current?.focus({ preventScroll: true });
          setTyping(true);
        }}
      />
      <FailureText failure={sender.failureOf('picture')} />
      <div role="status" class="result">
        {sender.isCrowded && <p class="field-error">{t('remote.crowded')}</p>}
      </div>
      {(words.level === 'bad' || words.level === 'warning') && (
        <DisplayWords what={whatIsShown(state)} words={words} />
      )}
      <div class="remote-bar">
        <SegmentedField
          label={t('remote.press')}
          value={mode}
          options={PRESS_MODES.map((one) => [one, t(`remote.press_${one}`)])}
          onChange={setMode}
        />
        <div class="row">
          <FullScreen element={whole} />
          <CopyAs
            what={t('remote.click')}
            sample={{ method: 'POST', path: '/input/inject', json: { events: [{ type: 'click', x, y }] } }}
          />
        </div>
      </div>
      <Keyboard
        element={keyboard}
        isTyping={isTyping}
        setTyping={setTyping}
        onInput={(events) => sender.do('picture', events)}
        onPaste={(text) => sender.type('picture', text)}
      />
    </div>
  );
}

/** A button that gives an element the whole screen of this computer, if the browser can do that. */
function FullScreen({ element }: { element: RefObject<HTMLElement | null> }) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const toggle = async () => {
    if (isFull) await document.exitFullscreen();
    else await element.current?.requestFullscreen();
  };
  return (
    // Without the user's permission the size just stays.
    <Button icon={isFull ? 'close' : 'enlarge'} onClick={() => void toggle().catch(() => undefined)}>
      {t(isFull ? 'remote.small' : 'remote.full')}
    </Button>
  );
}
