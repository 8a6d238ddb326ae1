import { isMisread } from '../formats/cells.ts'
import { ImportMisuse } from '../row.ts'
import { inFile, open, type Part, usual } from './notation.ts'

/** The encodings that are named to callers. `TextDecoder` knows others, and other names of these. */
const ENCODINGS = [
  ...['utf-8', 'utf-16le', 'utf-16be'],
  ...['windows-1252', 'windows-1250', 'windows-1251', 'windows-1253', 'windows-1254'],
  ...['iso-8859-2', 'iso-8859-15', 'macintosh', 'koi8-r', 'shift_jis', 'gbk', 'big5', 'euc-kr'],
] as const

/** Encodings of the West and of the middle of Europe, which show how a text may have been meant. */
const USUAL_ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'macintosh']

/** The encoding with a name such as `latin1`, as `TextDecoder` names it. Throws `ImportMisuse`. */
export function encodingOf(name: string): string {
  try {
    return new TextDecoder(name).encoding
  } catch {
    throw new ImportMisuse(
      `--encoding: there is no encoding '${name}'; there are ${ENCODINGS.join(', ')}`,
    )
  }
}

/** Whether a text begins with the byte order mark of UTF-8. */
export function isMarked(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** The encoding of a file by its first bytes, which may end within a character. */
export function findEncoding(head: Uint8Array): Part<string> {
  if (isMarked(head)) return inFile('utf-8', null)
  const damaged = damagedLine(head)
  if (damaged === null) {
    return head.every((byte) => byte < 0x80) ? usual('utf-8') : inFile('utf-8', null)
  }
  const choices = USUAL_ENCODINGS.map((value) => ({
    value,
    reads: new TextDecoder(value).decode(damaged).trim().slice(0, SHOWN_CHARACTERS),
  }))
  return open(choices[0]!.reads, choices)
}

const SHOWN_CHARACTERS = 80
const LF = 10

/** The first line that is not UTF-8, or null. */
function damagedLine(head: Uint8Array): Uint8Array | null {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return null
  } catch {
    return linesOf(head).find(isDamaged) ?? head
  }
}

function linesOf(head: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = head.indexOf(LF); end !== -1; end = head.indexOf(LF, start)) {
    lines.push(head.subarray(start, end))
    start = end + 1
  }
  lines.push(head.subarray(start))
  return lines
}

function isDamaged(line: Uint8Array): boolean {
  return isMisread(new TextDecoder().decode(line))
}
