/** A question that a tool cannot answer. The message says what to ask instead. */
export class ToolFault extends Error {
  override name = 'ToolFault'
}
