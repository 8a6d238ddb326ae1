/** Whether every character can be kept and shown: what was not UTF-8, and controls, cannot. */
export function isPlainText(text: string): boolean {
  return !UNFIT.test(text)
}

// The replacement character is what a decoder makes of bytes that are no UTF-8.
const UNFIT = /[\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u
