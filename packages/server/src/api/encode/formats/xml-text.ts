import { writeBytes } from '../number-bytes.ts'

/** Stands for a character that XML 1.0 forbids. */
const REPLACEMENT = Buffer.from('\u{fffd}')
const [TAB, LINE_FEED, SPACE] = [0x09, 0x0a, 0x20]

/** The references of bytes that cannot stand for themselves. A reader takes a bare CR for a line feed. */
const REFERENCES = Array.from({ length: 0x100 }, (_, code) => {
  const named: Record<string, string> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    '\r': '#13',
  }
  const name = named[String.fromCharCode(code)]
  if (name !== undefined) return Buffer.from(`&${name};`)
  const isForbidden = code < SPACE && code !== TAB && code !== LINE_FEED
  return isForbidden ? REPLACEMENT : undefined
})

/** Writes UTF-8 bytes as XML text, which may stand in an attribute too. */
export function writeXmlText(
  out: Uint8Array,
  at: number,
  utf8: Uint8Array,
  from: number,
  to: number,
): number {
  let end = at
  for (let i = from; i < to; i++) {
    const byte = utf8[i]!
    const reference = REFERENCES[byte]
    if (reference !== undefined) end = writeBytes(out, end, reference)
    else out[end++] = byte
    // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
    const isLast = byte === 0xbe || byte === 0xbf
    if (isLast && i >= from + 2 && utf8[i - 1] === 0xbf && utf8[i - 2] === 0xef) out[end - 1] = 0xbd
  }
  return end
}

/** Bytes of XML for a byte of UTF-8, at most. */
const ESCAPED_BYTES = 6

export function xmlText(text: string): string {
  const utf8 = Buffer.from(text)
  const out = Buffer.alloc(utf8.length * ESCAPED_BYTES)
  return out.toString('utf8', 0, writeXmlText(out, 0, utf8, 0, utf8.length))
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
