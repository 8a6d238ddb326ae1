/** How a command has ended, and what it said. */
export type Ended = { code: number | null; stdout: string; stderr: string }

/** What a command with `--json` has printed; throws where it has not succeeded. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
export function printedBy(args: string[], { code, stdout, stderr }: Ended): any {
  if (code !== 0) throw new Error(`fleetgate ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
