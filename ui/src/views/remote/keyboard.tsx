import type { RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { type InputEvent, inputsOfKey } from './inputs.ts';

interface KeyboardProps {
  /** Of the button, for giving it the focus. */
  element: RefObject<HTMLButtonElement | null>;
  isTyping: boolean;
  setTyping: (isTyping: boolean) => void;
  onInput: (events: InputEvent[]) => void;
  onPaste: (text: string) => void;
}

/**
 * A button that takes what is typed while it is on and has the focus. Escape twice, pressing it again and leaving it end
 * that, so no key is a trap.
 */
export function Keyboard({ element, isTyping, setTyping, onInput, onPaste }: KeyboardProps) {
  const id = useId();
  /** The last key that went down, apart from modifiers. */
  const last = useRef('');
  const paste = useRef<(event: ClipboardEvent) => void>(() => undefined);
  paste.current = (event) => {
    if (!isTyping) return;
    event.preventDefault();
    onPaste(event.clipboardData?.getData('text/plain') ?? '');
  };
  // Not every browser pastes into a button.
  useEffect(() => {
    const pasted = (event: ClipboardEvent) => paste.current(event);
    document.addEventListener('paste', pasted);
    return () => document.removeEventListener('paste', pasted);
  }, []);
  const press = (event: KeyboardEvent) => {
    const { key, shiftKey, ctrlKey, altKey, metaKey, isComposing, repeat } = event;
    const before = last.current;
    if (key !== 'Shift' && key !== 'Control' && !repeat) last.current = key;
    const isAltGraph = event.getModifierState('AltGraph');
    const events = inputsOfKey({ key, shiftKey, ctrlKey, altKey, metaKey, isComposing, isAltGraph });
    if (!events) return;
    event.preventDefault();
    if (key === 'Escape' && before === 'Escape' && !repeat) setTyping(false);
    // The key that has pressed the button may still be down.
    else if (!repeat || before === key) onInput(events);
  };
  return (
    <div class="remote-keyboard">
      <button
        ref={element}
        type="button"
        class={isTyping ? 'button button-primary' : 'button button-secondary'}
        aria-describedby={id}
        onClick={({ currentTarget }) => {
          // Not every browser does so by itself.
          currentTarget.focus();
          last.current = '';
          setTyping(!isTyping);
        }}
        onBlur={() => setTyping(false)}
        onKeyDown={(event) => {
          if (isTyping) press(event);
        }}
        onKeyUp={(event) => {
          // The space bar presses a button when it is released.
          if (isTyping && event.key === ' ') event.preventDefault();
        }}
      >
        {t(isTyping ? 'remote.stop_typing' : 'remote.start_typing')}
      </button>
      <p id={id} class="soft small" role="status">
        {t(isTyping ? 'remote.typing' : 'remote.typing_hint')}
      </p>
    </div>
  );
}
