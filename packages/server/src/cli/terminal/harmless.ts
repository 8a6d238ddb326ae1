import { visible } from '../../domain/common/plain-text.ts'

/** Makes a text safe for a terminal: one line, with hidden characters made visible. */
export function harmless(text: string): string {
  return visible(text.replaceAll(/[\t\r\n]+/g, ' '))
}
