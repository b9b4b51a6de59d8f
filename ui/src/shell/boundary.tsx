import { Component, type ComponentChildren } from 'preact';
import { t } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { View } from '../parts/view.tsx';

interface BoundaryState {
  error: unknown;
}

/** Shows what a view has thrown, and leaves the rest of the app as it is. Give it a key for each view. */
export class Boundary extends Component<{ children: ComponentChildren }, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return <>{this.props.children}</>;
    return (
      <View title={t('app.crashed')}>
        <p>{t('app.crashed_do')}</p>
        <details>
          <summary>{t('app.more')}</summary>
          <pre lang="en">{error instanceof Error ? (error.stack ?? error.message) : String(error)}</pre>
        </details>
        <Button kind="primary" icon="reload" onClick={() => location.reload()}>
          {t('app.reload')}
        </Button>
      </View>
    );
  }
}
