import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { base64Of, bytesOfHex, hexOf } from './bytes.ts';
import { type CardAnswer, transceive } from './requests.ts';
import type { Place } from './state.ts';

/** How many answers are kept. */
const MOST = 10;
/** Of a command (ISO 7816-4), in bytes; longer ones are for programs. */
const MIN_BYTES = 4;
const MAX_BYTES = 512;
/** Selects the application for NDEF messages, which type 4 tags have. */
const EXAMPLE = '00 A4 04 00 07 D2 76 00 00 85 01 01 00';

interface Exchange extends CardAnswer {
  readonly id: number;
  readonly command: string;
}

/** Sends single commands to a chip card, for developers. */
export function Commands({ place }: { place: Place }) {
  const [typed, setTyped] = useState(EXAMPLE);
  const [isWrong, setWrong] = useState(false);
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const command = commandIn(typed);
  const action = useAction<[Uint8Array]>({
    showsFailure: true,
    run: async (bytes) => {
      const answer = await transceive(place, bytes);
      setExchanges((before) => {
        const id = (before[0]?.id ?? 0) + 1;
        return [{ id, command: hexOf(bytes), ...answer }, ...before].slice(0, MOST);
      });
    },
  });
  return (
    <details>
      <summary>
        <Icon name="down" />
        {t('nfc.commands')}
      </summary>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setWrong(command === undefined);
          if (command) void action.start(command);
        }}
      >
        <TextField
          label={t('nfc.command')}
          hint={t('nfc.command_hint')}
          error={isWrong ? t('nfc.command_invalid') : undefined}
          value={typed}
          onInput={(text) => {
            setTyped(text);
            setWrong(false);
          }}
        />
        <Row>
          <Button type="submit" busy={action.busy.value}>
            {t('nfc.send')}
          </Button>
          <CopyAs
            what={t('nfc.send')}
            sample={{
              method: 'POST',
              path: '/nfc/transceive',
              json: {
                reader_id: place.reader,
                tag_handle: 'TAG_HANDLE',
                apdu: base64Of(command ?? new Uint8Array()),
              },
            }}
          />
        </Row>
        <FailureText failure={action.failure.value} />
        {exchanges.length > 0 && (
          <ol class="nfc-records" aria-label={t('nfc.answers')} aria-live="polite">
            {exchanges.map((exchange) => (
              <li key={exchange.id}>
                <p class="nfc-bytes soft">{exchange.command}</p>
                {exchange.data.length > 0 && <p class="nfc-bytes">{hexOf(exchange.data)}</p>}
                <Status status={exchange.status} />
              </li>
            ))}
          </ol>
        )}
      </form>
    </details>
  );
}

function commandIn(text: string): Uint8Array | undefined {
  const bytes = bytesOfHex(text);
  return bytes && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES ? bytes : undefined;
}

/** By ISO 7816-4, 9000 and 61xx are success. */
function Status({ status }: { status: string }) {
  const isGood = status === '9000' || status.startsWith('61');
  const text = t(isGood ? 'nfc.accepted' : 'nfc.rejected', { status });
  return <Badge level={isGood ? 'good' : 'warning'} text={text} />;
}
