import { plain } from '../map/labels/object-names.ts'

/** Whether a text has every word that was typed, without regard to case and accents. */
export function matcher(typed: string): (text: string) => boolean {
  const words = plain(typed.trim()).split(/\s+/)
  return (text) => {
    const searched = plain(text)
    return words.every((word) => searched.includes(word))
  }
}
