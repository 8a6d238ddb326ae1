/** A tracker that was taken out of an object at a moment, and put into another one. */
export type TrackerMove = {
  readonly ident: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The object that had the tracker before. */
  readonly object: number
  /** The object that got it. */
  readonly successor: number
}

/** The moves of each ident, the first one first. */
export type TrackerMoves = ReadonlyMap<string, readonly TrackerMove[]>

export function movesByIdent(moves: readonly TrackerMove[]): TrackerMoves {
  const ordered = [...moves].sort((a, b) => a.since - b.since)
  return Map.groupBy(ordered, ({ ident }) => ident)
}

/** The object that had the tracker when it made a fix. Undefined: the one that has it now. */
export function formerHolder(
  moves: TrackerMoves,
  ident: string,
  timeDevice: number,
): number | undefined {
  return moves.get(ident)?.find(({ since }) => timeDevice < since)?.object
}
