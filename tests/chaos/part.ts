/** One kind of stress for Fleetgate, judged by findings. */
export type Part = {
  /** `npm run chaos -- --only <name>`. */
  name: string
  title: string
  /** One sentence for docs/security.md. */
  summary: string
  /** The method and the criteria: a paragraph or two. */
  about: string
  run(trial: Trial): Promise<Finding[]>
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
