import { useEffect, useState } from 'preact/hooks';
import { connection, display } from '../../app/device-state.ts';
import { formatPercent } from '../../app/format.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { language, plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import type { InputDevice } from './settings.ts';
import {
  heightByWidth,
  NOT_TOUCHED,
  type Point,
  type Touched,
  withoutFingers,
  withTouch,
} from './touches.ts';

/** Width of the drawing, in its units. */
const WIDTH = 1000;
const FINGER_RADIUS = 34;
const TRAIL_RADIUS = 5;
/** Of the rings in the corners, which are to be touched. */
const CORNER = 40;

/** Draws where touches arrive on the page, while the user wants to see it. */
export function TouchTest({ devices }: { devices: readonly InputDevice[] }) {
  const [isRunning, setRunning] = useState(false);
  const touched = useTouches(isRunning);
  const canTouch = devices.some(({ kind }) => kind === 'touch' || kind === 'pointer');
  return (
    <Card title={t('input.test')}>
      <p>{t('input.test_text')}</p>
      {!canTouch && <p class="soft">{t('input.test_none')}</p>}
      <div>
        <Button
          kind={isRunning ? 'secondary' : 'primary'}
          icon={isRunning ? 'close' : 'play'}
          onClick={() => setRunning(!isRunning)}
        >
          {t(isRunning ? 'input.test_stop' : 'input.test_start')}
        </Button>
      </div>
      {isRunning && (
        <>
          <Area touched={touched} />
          <Readout touched={touched} devices={devices} />
        </>
      )}
      <p class="soft small">
        {t('input.turned_with')} <Link to={VIEW_PATHS.screens}>{t('input.go_screens')}</Link>
      </p>
      <p class="soft small">{t('input.keys_hidden')}</p>
    </Card>
  );
}

/** What has arrived since `isRunning` became true. It is drawn once per frame, however fast it comes. */
function useTouches(isRunning: boolean): Touched {
  const [touched, setTouched] = useState(NOT_TOUCHED);
  useEffect(() => {
    if (!isRunning) return;
    let now = NOT_TOUCHED;
    let frame: number | undefined;
    const draw = (next: Touched) => {
      now = next;
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        setTouched(now);
      });
    };
    const stops = [
      connection.on('input_raw', (event) => draw(withTouch(now, event))),
      connection.onOpen(() => draw(withoutFingers(now))),
    ];
    return () => {
      for (const stop of stops) stop();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [isRunning]);
  return touched;
}

/** The page as an empty area with its corners, and the fingers on it. */
function Area({ touched: { fingers, trail, last } }: { touched: Touched }) {
  const state = display.value.value;
  const height = Math.round(WIDTH * heightByWidth(state?.resolution, state?.rotation));
  const ends = { x: [CORNER, WIDTH - CORNER], y: [CORNER, height - CORNER] };
  const at = ({ x, y }: Point) => ({ cx: x * WIDTH, cy: y * height });
  return (
    <svg class="input-area" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={t('input.area')}>
      <rect class="input-page" x="1" y="1" width={WIDTH - 2} height={height - 2} rx="8" />
      {ends.x.flatMap((cx) =>
        ends.y.map((cy) => (
          <circle key={`${cx} ${cy}`} class="input-corner" cx={cx} cy={cy} r={CORNER / 2} />
        )),
      )}
      {trail.map((point, index) => (
        <circle key={index} class="input-trail" {...at(point)} r={TRAIL_RADIUS} />
      ))}
      {last && <circle class="input-last" {...at(last)} r={FINGER_RADIUS} />}
      {fingers.map((point) => (
        <circle key={point.finger} class="input-finger" {...at(point)} r={FINGER_RADIUS} />
      ))}
    </svg>
  );
}

interface ReadoutProps {
  touched: Touched;
  devices: readonly InputDevice[];
}

/** The same in words. It is not read out while fingers move. */
function Readout({ touched: { fingers, last, presses }, devices }: ReadoutProps) {
  if (!last) return <p class="soft">{t('input.test_wait')}</p>;
  const share = (value: number) => formatPercent(value, language.value);
  const device = devices.find(({ id }) => id === last.device)?.name ?? last.device;
  return (
    <div class="input-readout">
      <p>{t('input.last_at', { x: share(last.x), y: share(last.y), device })}</p>
      <p class="soft">{`${plural('input.presses', presses)} · ${plural('input.fingers', fingers.length)}`}</p>
    </div>
  );
}
