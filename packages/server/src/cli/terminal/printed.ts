/** The exit and the output of a command. */
export type FinishedProgram = { code: number | null; stdout: string; stderr: string }

/** The output of a successful command with `--json`. Throws if the command failed. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
export function printedBy(args: string[], { code, stdout, stderr }: FinishedProgram): any {
  if (code !== 0) throw new Error(`fleetgate ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
