import { Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { topic } from '../../contract/topics.ts';

export const pageChannelClosed = defineError(
  'page_channel_closed',
  409,
  'The displayed page has not opened its channel.',
);

/** Whether the displayed page has opened its channel (interface: Page channel status). */
export const PageStatus = Type.Object({ open: Type.Boolean() }, { $id: 'PageStatus' });

export const pageChannel = topic(
  'page_channel',
  PageStatus,
  'The displayed page opened or closed its channel',
);
export const pageMessage = topic(
  'page_message',
  Type.Unknown({ description: 'What the page sent: any JSON' }),
  'Page to host half of the page channel',
);

const common = { tag: 'Page channel', status: 200 } as const;

export const getPageStatus = endpoint({
  method: 'GET',
  path: '/page/status',
  ...common,
  summary: 'Whether the displayed page listens',
  description: 'Pages that do not load `display-client.js` never open their channel.',
  response: PageStatus,
  errors: [],
});

export const sendPageMessage = endpoint({
  method: 'POST',
  path: '/page/message',
  ...common,
  summary: 'Send a message to the displayed page',
  description:
    "Any JSON object. 409 `page_channel_closed` while the page has not opened its channel. Answers the channel's status.",
  body: Type.Record(Type.String(), Type.Unknown(), { description: 'Any JSON object' }),
  response: PageStatus,
  errors: [pageChannelClosed, 'unavailable'],
});
