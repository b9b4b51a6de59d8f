import { useEffect, useState } from 'preact/hooks';
import type { Health } from '../../app/device-state.ts';
import { connection } from '../../app/device-state.ts';

interface UptimeProps {
  health: Health | undefined;
  format: (seconds: number) => string;
}

/** The time since the start of the device, which goes on between two reports while there is a connection. */
export function Uptime({ health, format }: UptimeProps) {
  const [seconds, setSeconds] = useState(health?.uptime_s ?? 0);
  const isOnline = connection.link.value.phase === 'online';
  useEffect(() => {
    if (!health) return;
    const reported = performance.now();
    const show = () => setSeconds(health.uptime_s + (performance.now() - reported) / 1000);
    show();
    if (!isOnline) return;
    const timer = setInterval(show, 1000);
    return () => clearInterval(timer);
  }, [health, isOnline]);
  return <span>{format(seconds)}</span>;
}
