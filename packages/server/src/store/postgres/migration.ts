/** Takes a database from one version to the next. A released migration never changes. */
export type Migration = {
  /** One or more SQL statements. */
  text: string
  /** The oldest version whose programs can use the database afterwards. */
  compatibleFrom: number
}
