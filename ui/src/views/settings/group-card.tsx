import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { plural } from '../../app/texts.ts';
import { Icon } from '../../parts/icon.tsx';
import { Description } from './prose.tsx';
import type { Group } from './schema.ts';
import { groupTitle } from './words.ts';

interface GroupCardProps {
  group: Group;
  /** How many of its settings are shown. */
  count: number;
  /** How many of these differ from the default. */
  changed: number;
  isOpen: boolean;
  onToggle: () => void;
  children: ComponentChildren;
}

/** A group of settings, which the user opens and closes. */
export function GroupCard({ group, count, changed, isOpen, onToggle, children }: GroupCardProps) {
  const id = useId();
  const title = groupTitle(group.name);
  return (
    <section class="card settings-group" aria-labelledby={id}>
      <h2>
        <button type="button" class="settings-toggle" aria-expanded={isOpen} onClick={onToggle}>
          <Icon name="down" />
          <span id={id}>{title}</span>
          <span class="soft small settings-count">
            {plural('settings.count', count)}
            {changed > 0 && ` · ${plural('settings.count_changed', changed)}`}
          </span>
        </button>
      </h2>
      {isOpen && (
        <div class="settings-fields">
          {group.description !== '' && (
            <div class="settings-intro">
              <Description text={group.description} what={title} />
            </div>
          )}
          {children}
        </div>
      )}
    </section>
  );
}
