/**
 * Whether every character can be stored and shown: neither a control, nor the rest of bytes that are not
 * UTF-8.
 */
export function isPlainText(text: string): boolean {
  return !UNFIT.test(text)
}

// A decoder puts the replacement character in place of bytes that are not UTF-8.
const UNFIT = /[\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u
