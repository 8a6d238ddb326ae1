import type { FoldRules } from '../../domain/position/fold-state.ts'
import type { Clock } from '../../domain/time/time.ts'
import { advance } from './advance.ts'
import { judge } from './judge.ts'
import { prefer } from './prefer.ts'

/** The rules by which packets become positions. */
export function foldRules(clock: Clock): FoldRules {
  return { judge: (object, fix) => judge(object, fix, clock.now()), advance, prefer }
}
