/** One way of being hard on Fleetgate, judged by findings. */
export type Part = {
  /** `npm run chaos -- --only <name>`. */
  name: string
  /** Its heading in docs/security.md. */
  title: string
  /** What is done and how it is judged, for docs/security.md: a paragraph or two of Markdown. */
  about: string
  run(trial: Trial): Promise<Finding[]>
  /** Its findings as Markdown, where they are more than what was demanded and found. */
  format?(findings: readonly Finding[]): string
}

/** What a part is given. */
export type Trial = {
  /** Whatever is random comes of it, so that a run can be repeated. */
  seed: number
  /** A temporary folder of its own, which is gone afterwards. */
  folder: string
  /** How many of something to do: fewer in a run of minutes than in one of hours. */
  amount(many: { minutes: number; hours: number }): number
  /** Tells what is being done, beside the result. */
  progress(text: string): void
}

/** What a part has found, and what it had to find. */
export type Finding = {
  what: string
  /** What was demanded, as a reader takes it in: `none`, `at most 64 MB`. Empty where nothing was. */
  bar: string
  measured: string
  met: boolean
  /** The seed that repeats what failed, where that is not the run's own. */
  seed?: number
}
