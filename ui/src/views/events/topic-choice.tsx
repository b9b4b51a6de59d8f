import type { TopicName } from '../../../../client/contract.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/choice.tsx';
import { copy } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { GROUPS, topicNames, topicsOf, usualTopics } from './topics.ts';

interface TopicChoiceProps {
  chosen: readonly TopicName[];
  onChange: (chosen: TopicName[]) => void;
}

/** Which topics are followed, and what each of them is. */
export function TopicChoice({ chosen, onChange }: TopicChoiceProps) {
  const choose = (topic: TopicName, isOn: boolean) =>
    onChange(topicNames().filter((name) => (name === topic ? isOn : chosen.includes(name))));
  return (
    <details class="events-topics">
      <summary>
        <Icon name="down" />
        {plural('events.chosen', chosen.length)}
      </summary>
      <div class="stack">
        <Row>
          <Button onClick={() => onChange(usualTopics())}>{t('events.usual')}</Button>
          <Button onClick={() => onChange(topicNames())}>{t('events.all')}</Button>
          <Button onClick={() => onChange([])}>{t('events.none')}</Button>
          <Button
            kind="quiet"
            icon="code"
            onClick={() => void copy(JSON.stringify({ type: 'subscribe', topics: chosen }))}
          >
            {t('events.copy_frame')}
          </Button>
        </Row>
        {GROUPS.map((group) => (
          <fieldset key={group} class="events-group">
            <legend>{t(`events.group_${group}`)}</legend>
            {topicsOf(group).map((topic) => (
              <Checkbox
                key={topic}
                label={topic}
                hint={t(`events.topic_${topic}`)}
                isOn={chosen.includes(topic)}
                onChange={(isOn) => choose(topic, isOn)}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </details>
  );
}
