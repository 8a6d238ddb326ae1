/** The request does not fit the source: a mapping, an option or a column. Its message is for the one who asked. */
export class ImportMisuse extends Error {
  override name = 'ImportMisuse'
}

/** The source cannot be read, or is not what its format says. */
export class SourceUnreadable extends Error {
  override name = 'SourceUnreadable'
}
