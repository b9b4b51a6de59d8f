/** A collection of a HID report descriptor (HID 1.11, 6.2.2; the shape is WebHID's HIDCollectionInfo). */
export interface HidCollection {
  usagePage: number;
  usage: number;
  /** 0 physical, 1 application, 2 logical, 3 report, 4 named array, 5 usage switch, 6 usage modifier. */
  type: number;
  children: readonly HidCollection[];
  inputReports: readonly HidReport[];
  outputReports: readonly HidReport[];
  featureReports: readonly HidReport[];
}
export interface HidReport {
  /** 0: the device's reports have no ids. */
  reportId: number;
  items: readonly HidReportItem[];
}
/** As WebHID's HIDReportItem; only what is present in the descriptor. */
export interface HidReportItem {
  isAbsolute: boolean;
  isArray: boolean;
  isBufferedBytes: boolean;
  isConstant: boolean;
  isLinear: boolean;
  isRange: boolean;
  isVolatile: boolean;
  hasNull: boolean;
  hasPreferredState: boolean;
  wrap: boolean;
  /** Usage page in the upper 16 bits. With `isRange`, `usageMinimum` and `usageMaximum` are there instead. */
  usages?: readonly number[];
  usageMinimum?: number;
  usageMaximum?: number;
  /** Bits. */
  reportSize: number;
  reportCount: number;
  unitExponent: number;
  unitSystem: string;
  unitFactorLengthExponent: number;
  unitFactorMassExponent: number;
  unitFactorTimeExponent: number;
  unitFactorTemperatureExponent: number;
  unitFactorCurrentExponent: number;
  unitFactorLuminousIntensityExponent: number;
  logicalMinimum: number;
  logicalMaximum: number;
  physicalMinimum: number;
  physicalMaximum: number;
  strings: readonly string[];
}
