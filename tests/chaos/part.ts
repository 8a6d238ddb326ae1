/** One kind of stress for Fleetgate, judged by findings. */
export type Part = {
  /** `npm run chaos -- --only <name>`. */
  name: string
  /** Its heading in docs/security-in-full.md. */
  title: string
  /** One sentence for docs/security.md. */
  summary: string
  /** The method and the criteria, for docs/security-in-full.md: a paragraph or two of Markdown. */
  about: string
  run(trial: Trial): Promise<Finding[]>
  /** Its findings as Markdown, if the table of findings is not enough. */
  format?(findings: readonly Finding[]): string
}

/** The input of a part. */
export type Trial = {
  /** The source of all randomness, so that a run can be repeated. */
  seed: number
  /** A temporary folder of its own, deleted afterwards. */
  folder: string
  /** A number of repetitions: fewer in a run of minutes than in one of hours. */
  amount(many: { minutes: number; hours: number }): number
  /** Reports progress. */
  progress(text: string): void
}

/** One result of a part, and its requirement. */
export type Finding = {
  what: string
  /** The requirement in words for readers: `none`, `at most 64 MB`. Empty without one. */
  bar: string
  measured: string
  met: boolean
  /** The seed that repeats the failure, if it is not the run's own. */
  seed?: number
}
