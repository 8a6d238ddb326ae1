/** The mapping, an option or a column does not fit the source. The message is for the caller. */
export class ImportMisuse extends Error {
  override name = 'ImportMisuse'
}

/** The source cannot be read, or does not have its format. */
export class SourceUnreadable extends Error {
  override name = 'SourceUnreadable'
}
