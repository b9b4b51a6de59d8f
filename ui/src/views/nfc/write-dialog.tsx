import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { formatBytes } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { SegmentedField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextArea, TextField } from '../../parts/field.tsx';
import { base64Of } from './bytes.ts';
import { addressMessage, textMessage } from './ndef.ts';
import { write } from './requests.ts';
import { type Place, tagAt } from './state.ts';
import { spaced } from './words.ts';

/** Tags have 46 bytes to 32 KiB. In characters. */
const MAX_LENGTH = 2000;
const KINDS = ['text', 'address'] as const;
type Kind = (typeof KINDS)[number];

interface WriteDialogProps {
  place: Place;
  onClose: () => void;
}

/** Writes a text or an address on a tag. It stays open when the tag leaves, so that nothing is typed twice. */
export function WriteDialog({ place, onClose }: WriteDialogProps) {
  const [kind, setKind] = useState<Kind>('text');
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const content = kind === 'text' ? typed : typed.trim();
  const message = kind === 'text' ? textMessage(content, language.value) : addressMessage(content);
  const isValid = kind === 'text' ? content !== '' : isAddress(content);
  const isPresent = tagAt(place) !== undefined;
  const action = useAction({
    showsFailure: true,
    run: () => write(place, message),
    done: () => t('nfc.written'),
  });
  const type = (text: string) => {
    setTyped(text);
    setWrong(false);
  };
  const submit = async () => {
    setWrong(!isValid);
    if (isValid && (await action.start())) onClose();
  };
  const title = t('nfc.write_what', { uid: spaced(place.uid) });
  const error = isWrong ? t(kind === 'text' ? 'nfc.text_missing' : 'nfc.address_invalid') : undefined;
  const hint = t('nfc.size', { size: formatBytes(message.length, language.value) });
  return (
    <Dialog label={title} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2>{title}</h2>
        <SegmentedField
          label={t('nfc.what')}
          value={kind}
          options={KINDS.map((one) => [one, t(`nfc.what_${one}`)])}
          onChange={(wanted) => {
            setKind(wanted);
            setWrong(false);
          }}
        />
        {kind === 'text' ? (
          <TextArea
            label={t('nfc.what_text')}
            rows={3}
            value={typed}
            maxLength={MAX_LENGTH}
            hint={hint}
            error={error}
            onInput={type}
            onSubmit={() => void submit()}
          />
        ) : (
          <TextField
            label={t('nfc.what_address')}
            keyboard="url"
            placeholder="https://"
            value={typed}
            maxLength={MAX_LENGTH}
            hint={hint}
            error={error}
            onInput={type}
          />
        )}
        <p class="soft small">{t('nfc.write_text')}</p>
        <div role="status" class="result">
          {!isPresent && <p>{t('nfc.put_back')}</p>}
        </div>
        <FailureText failure={action.failure.value} />
        <Row>
          <Button kind="primary" type="submit" busy={action.busy.value} disabled={!isPresent}>
            {t('nfc.write')}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <CopyAs
            what={title}
            sample={{
              method: 'POST',
              path: '/nfc/ndef/write',
              json: { reader_id: place.reader, tag_handle: 'TAG_HANDLE', message: base64Of(message) },
            }}
          />
        </Row>
      </form>
    </Dialog>
  );
}

/** Anything with a scheme: phones open more than pages. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text);
}
