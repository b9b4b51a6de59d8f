/** An example for every operation and frame; the tests tell which one lacks it. The agent does not contain them. */
import { content } from './content.ts';
import { device } from './device.ts';
import { display } from './display.ts';
import type { OperationExamples } from './example.ts';
import { peripherals } from './peripherals.ts';
import { radios } from './radios.ts';

export { NOW, type OperationExample } from './example.ts';
export { frameExamples, payloads } from './frames.ts';

/** By operation id. */
export const operationExamples: OperationExamples = {
  ...device,
  ...display,
  ...content,
  ...radios,
  ...peripherals,
};
