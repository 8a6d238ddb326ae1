const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for an element or a quoted attribute. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!)
}
