import { useEffect, useState } from 'preact/hooks';
import type { EventFrame } from '../../../../client/channel.ts';
import type { TopicName } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { remember, remembered, rememberedList } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Stream } from '../../parts/stream/stream.ts';
import { StreamPanel } from '../../parts/stream/stream-panel.tsx';
import { useGaps } from '../../parts/stream/use-gaps.ts';
import { View } from '../../parts/view.tsx';
import { TopicChoice } from './topic-choice.tsx';
import { payloadText, topicsIn, usualTopics } from './topics.ts';

/** What this browser remembers: the names of the chosen topics. */
const REMEMBERED = 'events';
const MOST_REMEMBERED = 100;
/** Longest event that is kept whole, in characters. */
const LONGEST = 64 * 2 ** 10;

/** Stays for the next visit. */
const events = new Stream({ longest: LONGEST });

/** Everything that the device tells as it happens. */
export default function Events() {
  const [chosen, setChosen] = useState(rememberedTopics);
  useGaps(events);
  return (
    <View title={t('events.title')}>
      <Card title={t('events.live')}>
        <p class="soft">{t('events.about')}</p>
        <TopicChoice
          chosen={chosen}
          onChange={(topics) => {
            setChosen(topics);
            remember(REMEMBERED, JSON.stringify(topics));
          }}
        />
        {chosen.map((topic) => (
          <Subscription key={topic} topic={topic} />
        ))}
        <StreamPanel
          stream={events}
          label={t('events.title')}
          file="vitrine-events"
          sourceName={t('events.topic')}
          allSources={t('events.all_topics')}
          isJson
          empty={
            <EmptyState icon="events" title={t(chosen.length > 0 ? 'events.empty' : 'events.no_topics')}>
              {t(chosen.length > 0 ? 'events.empty_do' : 'events.no_topics_do')}
            </EmptyState>
          }
        />
      </Card>
    </View>
  );
}

/** Follows a topic while it is there. */
function Subscription({ topic }: { topic: TopicName }) {
  useEffect(() => connection.onEvent(topic, take), [topic]);
  return null;
}

function take({ ts, topic, payload }: EventFrame): void {
  events.add({ at: Date.parse(ts), source: topic, text: payloadText(payload) });
}

function rememberedTopics(): TopicName[] {
  if (remembered(REMEMBERED) === undefined) return usualTopics();
  return topicsIn(rememberedList(REMEMBERED, MOST_REMEMBERED));
}
