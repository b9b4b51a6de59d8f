import { useEffect, useState } from 'preact/hooks';
import { RequestError } from '../../../../client/client.ts';
import { useAction } from '../../app/actions.ts';
import { connection, useResource } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextArea } from '../../parts/field.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { StreamPanel } from '../../parts/stream/stream-panel.tsx';
import { useGaps } from '../../parts/stream/use-gaps.ts';
import { objectIn } from './json.ts';
import { addMessage, channel, messages, SENDERS } from './page-state.ts';

/** The longest one that the device takes, in characters. */
const MAX_LENGTH = 1024 * 1024;
/** The device waits 30 s for the page. */
const TIMEOUT_MS = 45_000;
const EXAMPLE = { text: 'Hello' };

/** Messages between the displayed page and its hosts. */
export function PageChannel() {
  useResource(channel);
  useGaps(messages);
  useEffect(
    () => connection.on('page_message', (value, ts) => addMessage('page', Date.parse(ts), value)),
    [],
  );
  const isOpen = channel.value.value?.open;
  const badge = isOpen !== undefined && (
    <Badge
      level={isOpen ? 'good' : 'unknown'}
      text={t(isOpen ? 'page.channel_open' : 'page.channel_closed')}
    />
  );
  return (
    <Card title={t('page.channel')} actions={badge}>
      <p class="soft">{t('page.channel_about')}</p>
      <Loaded of={channel}>{({ open }) => <Send isOpen={open} />}</Loaded>
      <StreamPanel
        stream={messages}
        label={t('page.channel')}
        file="vitrine-page-messages"
        sourceName={t('page.sender')}
        allSources={t('page.senders')}
        sourceText={senderWords}
        isJson
        isSpoken
        empty={
          <EmptyState icon="events" title={t('page.messages_empty')}>
            {t('page.messages_empty_do')}
          </EmptyState>
        }
      />
    </Card>
  );
}

/** A field for a message. */
function Send({ isOpen }: { isOpen: boolean }) {
  const [typed, setTyped] = useState(() => JSON.stringify(EXAMPLE));
  const [isWrong, setWrong] = useState(false);
  const send = useAction<[Record<string, unknown>]>({
    showsFailure: true,
    run: async (message) => {
      try {
        // It answers when the page has handled the message.
        await connection.client.post('/page/message', { json: message, timeoutMs: TIMEOUT_MS });
      } catch (error) {
        const isClosed = error instanceof RequestError && error.code === 'page_channel_closed';
        throw isClosed ? new ActionError(t('page.channel_closed_do')) : error;
      }
      addMessage('host', Date.now(), message);
    },
  });
  const submit = () => {
    const message = objectIn(typed);
    setWrong(message === undefined);
    if (message && isOpen) void send.start(message);
  };
  return (
    <div class="stack">
      <TextArea
        label={t('page.message')}
        hint={t('page.message_hint')}
        error={isWrong ? t('page.message_invalid') : undefined}
        isCode
        rows={3}
        value={typed}
        maxLength={MAX_LENGTH}
        onInput={(text) => {
          setTyped(text);
          setWrong(false);
        }}
        onSubmit={submit}
      />
      <Row>
        <Button kind="primary" busy={send.busy.value} disabled={!isOpen} onClick={submit}>
          {t('page.send')}
        </Button>
        <CopyAs
          what={t('page.send')}
          sample={{ method: 'POST', path: '/page/message', json: objectIn(typed) ?? EXAMPLE }}
        />
      </Row>
      {!isOpen && <p class="soft small">{t('page.channel_closed_do')}</p>}
      <FailureText failure={send.failure.value} />
    </div>
  );
}

/** Who has sent a message, in words. */
function senderWords(source: string): string {
  const sender = SENDERS.find((one) => one === source);
  return sender ? t(`page.sender_${sender}`) : source;
}
