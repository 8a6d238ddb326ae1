import { visible } from '../domain/hidden-characters.ts'

/** A text as one line that a terminal can show: hidden characters are shown as what they are. */
export function harmless(text: string): string {
  return visible(text.replaceAll(/[\t\r\n]+/g, ' '))
}
