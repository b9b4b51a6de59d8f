/** The types of libraries that have none, as far as the page uses them. */
interface ReceiptPrinter {
  connect(): Promise<void>;
  listen(): Promise<boolean | undefined>;
  print(command: Uint8Array): Promise<void>;
  disconnect(): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: the type of the event depends on its name
  addEventListener(name: string, listener: (value: any) => void): void;
}
declare module '@point-of-sale/webhid-barcode-scanner' {
  export default class {
    connect(): Promise<void>;
    // biome-ignore lint/suspicious/noExplicitAny: the type of the event depends on its name
    addEventListener(name: string, listener: (value: any) => void): void;
  }
}
declare module '@point-of-sale/webusb-receipt-printer' {
  const WebUSBReceiptPrinter: new () => ReceiptPrinter;
  type WebUSBReceiptPrinter = ReceiptPrinter;
  export default WebUSBReceiptPrinter;
}
declare module '@point-of-sale/webserial-receipt-printer' {
  const WebSerialReceiptPrinter: new (options: { baudRate: number }) => ReceiptPrinter;
  type WebSerialReceiptPrinter = ReceiptPrinter;
  export default WebSerialReceiptPrinter;
}
