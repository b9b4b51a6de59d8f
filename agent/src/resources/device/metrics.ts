/** Health in OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec/). Pure. */
import type { Device, Health } from './schema.ts';

type Kind = 'gauge' | 'counter';
type Value = number | boolean | null;
/** Name without `vitrine_`, kind, help, and the value; null if the board cannot read it. */
type Metric = readonly [name: string, kind: Kind, help: string, value: Value];

/** @returns the text of `GET /metrics`; metrics that the board cannot read are left out */
export function metricsText(device: Omit<Device, 'capabilities'>, health: Health): string {
  const { serial, name, model, version, slot } = device;
  const labels = Object.entries({ serial, name, model, version, slot }).map(
    ([label, value]) => `${label}="${escaped(value)}"`,
  );
  const lines = [
    '# TYPE vitrine info',
    '# HELP vitrine What the device is.',
    `vitrine_info{${labels.join(',')}} 1`,
  ];
  for (const [metric, kind, help, value] of metricsOf(health)) {
    if (value === null) continue;
    const sample = `vitrine_${metric}${kind === 'counter' ? '_total' : ''}`;
    lines.push(
      `# TYPE vitrine_${metric} ${kind}`,
      `# HELP vitrine_${metric} ${help}`,
      `${sample} ${Number(value)}`,
    );
  }
  return `${lines.join('\n')}\n# EOF\n`;
}

function metricsOf({ memory, disk, browser, agent, ...health }: Health): Metric[] {
  return [
    ['uptime_seconds', 'gauge', 'Since the start of the system.', health.uptime_s],
    ['temperature_celsius', 'gauge', 'Of the processor.', health.temperature_c],
    ['throttled', 'gauge', '1 while the processor is throttled.', health.throttled],
    ['undervoltage', 'gauge', '1 while the supply voltage is too low.', health.undervoltage],
    ['load1', 'gauge', 'Load average of one minute.', health.load_1m],
    ['memory_total_bytes', 'gauge', 'Memory of the device.', memory.total_bytes],
    ['memory_available_bytes', 'gauge', 'Memory that programs can still get.', memory.available_bytes],
    ['disk_total_bytes', 'gauge', 'Size of the data partition.', disk.total_bytes],
    ['disk_free_bytes', 'gauge', 'Free on the data partition.', disk.free_bytes],
    ['time_synced', 'gauge', '1 once a time server has set the clock.', health.time_synced],
    ['problems', 'gauge', 'Number of sentences in problems of the health report.', health.problems.length],
    ['browser_running', 'gauge', '1 while the browser runs.', browser.running],
    ['browser_restarts', 'counter', 'Restarts of the browser since the agent started.', browser.restarts],
    [
      'browser_memory_restarts',
      'counter',
      'Restarts of the browser because of memory since the agent started.',
      browser.memory_restarts,
    ],
    ['browser_resident_bytes', 'gauge', 'Memory of the browser and its processes.', browser.rss_bytes],
    ['browser_web_processes', 'gauge', 'Processes that run pages.', browser.web_processes],
    ['agent_resident_bytes', 'gauge', 'Memory of the agent.', agent.rss_bytes],
    [
      'agent_event_loop_delay_seconds',
      'gauge',
      '99th percentile of the last minute.',
      agent.event_loop_p99_ms / 1000,
    ],
  ];
}

/** Text of a label. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
