import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { every } from '../../api/refresh.ts'
import { useAddress, useSearchText } from '../../ui/page/address.ts'
import { sentenceOf } from '../../ui/state/Problem.tsx'
import { MOTIONS, type MotionOrUnknown } from '../base/motion.ts'
import type { Names } from '../labels/names.ts'
import type { LiveFleet } from '../layer/live-fleet.ts'
import { useFromLive } from '../layer/use-live-fleet.ts'
import { type Arranged, arrange, kept } from './arrange.ts'

/** Rows change their places at most this often. */
const ARRANGE_MS = 1_000

/** How often the list asks whether vehicles were added, deleted or renamed. */
const OUTDATED_MS = 15_000

const NONE = new Float64Array(0)

/** The vehicles that the list and the map show, and what chooses them. The address has both choices. */
export type Listed = {
  /** The ids of the vehicles that the search finds, by name. */
  matches: Float64Array
  typed: string
  search(typed: string): void
  /** Empty: all motions. */
  chosen: MotionOrUnknown[]
  choose(motions: MotionOrUnknown[]): void
  /** One bit for each motion that is shown. */
  bits: number
  isLoading: boolean
  problem: string | null
  retry(): void
  showAll(): void
}

export function useListed(live: LiveFleet | undefined, names: Names, organization: number): Listed {
  const [address, change] = useAddress()
  const [typed, search] = useSearchText()
  const motion = address.get('motion')
  const chosen = useMemo(() => chosenOf(motion), [motion])
  const bits = bitsOf(chosen)
  const wanted = useDeferredValue(typed.trim())
  const found = useQuery({
    queryKey: ['map', organization, 'matching', wanted],
    queryFn: () => names.matching(wanted),
    refetchInterval: every(OUTDATED_MS),
    retry: 1,
    placeholderData: (before) => before,
    // The same vehicles: what is drawn of them stays.
    structuralSharing: (before, next) => kept(before as Float64Array, next as Float64Array),
  })
  const matches = found.data ?? NONE
  useHiddenOthers(live, wanted === '' ? undefined : found.data)
  return {
    matches,
    typed,
    search,
    chosen,
    choose: (motions) => change({ motion: motions.join(' ') }, { replace: true }),
    bits,
    isLoading: found.isPending,
    problem: found.isError ? sentenceOf(found.error) : null,
    retry: () => void found.refetch(),
    showAll: () => change({ motion: null, search: null }, { replace: true }),
  }
}

/** The rows of the list. The fleet moves each second, so only what shows them should ask. */
export function useArranged(
  live: LiveFleet | undefined,
  { matches, bits }: Pick<Listed, 'matches' | 'bits'>,
): Arranged & { hasAll: boolean } {
  // 20,000 rows take some 25 ms, so that they come every 5 s.
  const everyMs = Math.max(ARRANGE_MS, matches.length / 4)
  const revision = useFromLive(live, everyMs, ({ fleet }) => fleet.revision)
  const hasAll = useFromLive(live, ARRANGE_MS, (each) => each.hasAll()) ?? false
  const before = useRef<Arranged>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fleet is the same, its revision changes
  const arranged = useMemo(() => {
    const next = arrange(live?.fleet, matches, bits)
    before.current = { ...next, ids: kept(before.current?.ids, next.ids) }
    return before.current
  }, [live, matches, bits, revision, hasAll])
  return { ...arranged, hasAll }
}

function useHiddenOthers(live: LiveFleet | undefined, listed: Float64Array | undefined): void {
  useEffect(() => {
    live?.drawn.setListed(listed === undefined ? undefined : new Set(listed))
  }, [live, listed])
}

/** Words that name no motion are ignored. */
function chosenOf(text: string | null): MotionOrUnknown[] {
  const words = new Set(text?.split(' '))
  return MOTIONS.filter((motion) => words.has(motion))
}

function bitsOf(motions: MotionOrUnknown[]): number {
  if (motions.length === 0) return ~0
  return motions.reduce((bits, motion) => bits | (1 << MOTIONS.indexOf(motion)), 0)
}
