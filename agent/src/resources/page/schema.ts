import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const pageChannelClosed = defineError(
  'page_channel_closed',
  409,
  'The displayed page has not opened its channel.',
);

/** Whether the displayed page has opened its channel. */
export const PageStatus = Type.Object({ open: Type.Boolean() }, { $id: 'PageStatus' });

export const pageChannel = topic(
  'page_channel',
  PageStatus,
  'The displayed page opened or closed its channel. For hosts it is also closed from the moment a target, a reload or ' +
    'a restart of the browser was accepted until the new document is there',
  { isState: true },
);
export const pageMessage = topic(
  'page_message',
  Type.Unknown({ description: 'What the page sent: any JSON' }),
  'A message of the page, in the order in which the page caused it and `page_channel` events. The next message is sent ' +
    'when every subscribed host has been sent the one before: the page waits for hosts that read. One that reads nothing ' +
    'for 10 s loses its link. Without subscribers, messages are discarded. On serial, the line may be longer than 1 MiB',
);

/** A message of the page's console. */
export const PageConsoleMessage = Type.Object(
  {
    level: Type.Enum(['debug', 'log', 'info', 'warn', 'error']),
    text: Type.String({
      description: 'The arguments of the call, each turned into text, or the error; cut at 16 KiB',
    }),
    source: Nullable(Type.String({ description: 'URL of the script or document; null when unknown' })),
    line: Nullable(Type.Integer({ minimum: 1, description: 'In the source, from 1; null when unknown' })),
    left_out: Type.Integer({ minimum: 0, description: 'Messages before this one that were left out' }),
  },
  { $id: 'PageConsoleMessage' },
);

export const pageConsole = topic(
  'page_console',
  PageConsoleMessage,
  "The displayed page's JavaScript console with uncaught errors, failed requests and what WebKit refused; workers are " +
    'not included. Collected only while somebody is subscribed: 200 messages at once and 20 a second, fewer if they are ' +
    'long; `left_out` counts the others. What a page says here is not trustworthy. In a document that was there before ' +
    'the subscription, calls in frames, and of methods that the page kept before, have their first argument only',
  { mayBeDropped: true },
);

const common = { tag: 'Page channel', status: 200 } as const;

export const getPageStatus = endpoint({
  method: 'GET',
  path: '/page/status',
  ...common,
  summary: 'Whether the displayed page listens',
  description:
    'The channel belongs to the document in the top frame, and closes when the page closes it, is left, or its process ' +
    'ends. Pages that do not load `display-client.js` never open it. It stays open when the agent restarts, but messages ' +
    'that the agent had taken and not yet sent to hosts, 64 at most, are lost.',
  response: PageStatus,
  errors: [],
});

export const sendPageMessage = endpoint({
  method: 'POST',
  path: '/page/message',
  ...common,
  summary: 'Send a message to the displayed page',
  description:
    'Any JSON object of at most 1 MiB. Answers when the handler of the page has run, with the status of the channel. ' +
    'Messages arrive in the order in which the device got them, and never reach an earlier page than the one that was ' +
    'last requested. 409 `page_channel_closed` while the page has not opened its channel. 16 messages, and behind them ' +
    '256 or 8 Mi characters, may wait for the page; more are 429 `too_many_requests`. 503 `unavailable` if the page does ' +
    'not take a message for 30 s.',
  body: Type.Record(Type.String(), Type.Unknown(), { description: 'Any JSON object' }),
  response: PageStatus,
  errors: [pageChannelClosed, 'unavailable'],
});
