import { type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection } from '../app/device-state.ts';
import { VIEW_PATHS, type ViewName } from '../app/paths.ts';
import { path, viewAt } from '../app/router.ts';
import { t } from '../app/texts.ts';
import { VIEWS } from '../app/views.ts';
import { Row } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { View } from '../parts/view.tsx';
import { Boundary } from './boundary.tsx';

interface LoadedView {
  readonly component: ComponentType | undefined;
  readonly error: unknown;
}

const NOT_LOADED: LoadedView = { component: undefined, error: undefined };
const views = new Map<ViewName, Signal<LoadedView>>();

/** The code of a view, as far as it was loaded. */
function codeOf(name: ViewName): Signal<LoadedView> {
  const code = views.get(name) ?? signal(NOT_LOADED);
  views.set(name, code);
  return code;
}

/** Loads the code of a view, once. Never rejects. */
export async function loadView(name: ViewName): Promise<void> {
  const code = codeOf(name);
  if (code.peek().component) return;
  try {
    code.value = { component: (await VIEWS[name].load()).default, error: undefined };
  } catch (error) {
    code.value = { component: undefined, error };
  }
}

/** The view at the present path. */
export function ViewHost() {
  const name = viewAt(path.value);
  if (name === undefined) return <Missing />;
  return (
    <Boundary key={name}>
      <Loading name={name} />
    </Boundary>
  );
}

function Loading({ name }: { name: ViewName }) {
  const code = codeOf(name).value;
  const isOnline = connection.link.value.phase === 'online';
  // Again when the connection is back.
  useEffect(() => void loadView(name), [name, isOnline]);
  const { component: Component } = code;
  if (Component) return <Component />;
  return (
    <View title={t(VIEWS[name].title)}>
      {code.error === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <ErrorState error={code.error} retry={() => location.reload()} />
      )}
    </View>
  );
}

function Missing() {
  return (
    <View title={t('missing.title')}>
      <p>{t('missing.text', { path: path.value.slice(0, 100) })}</p>
      <Row>
        <Link to={VIEW_PATHS.overview} class="button button-primary">
          {t('missing.home')}
        </Link>
      </Row>
    </View>
  );
}
