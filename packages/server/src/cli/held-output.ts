/** Output that waits for what has to come before it. */
export type HeldOutput = {
  write(lines: string | Buffer): void
  /** Writes what came so far, and the rest as it comes. */
  open(): void
}

export function holdOutput(out: (lines: string | Buffer) => void): HeldOutput {
  let held: (string | Buffer)[] | null = []
  return {
    write(lines) {
      if (held === null) out(lines)
      else held.push(lines)
    },
    open() {
      const lines = held ?? []
      held = null
      for (const each of lines) out(each)
    },
  }
}
