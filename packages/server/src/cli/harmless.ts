/**
 * A text fit for a terminal: what would steer it (control characters), break its line, or reorder what
 * is around it (the bidirectional embeddings, overrides and isolates) is a space. Marks that names in
 * Arabic, Persian or emoji are written with stay.
 */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
}
