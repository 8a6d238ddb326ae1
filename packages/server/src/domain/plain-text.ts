/** Whether every character can be kept and shown: what was not UTF-8, and controls, cannot. */
export function isPlainText(text: string): boolean {
  return !UNFIT.test(text)
}

// A decoder puts the replacement character in place of bytes that are not UTF-8.
const UNFIT = /[\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u
