import { countShares, type Shares } from '../../base/domain/common/slots.ts'
import type { ChangeWatch, WaitingReader } from '../../engine/changes/change-watch.ts'
import { openPageRoom, type PageRoom, ROOM_OF_CHANGES } from '../rows/page-room.ts'
import {
  type OpenStreams,
  openStreams,
  type StreamCounts,
  type StreamParts,
} from './open-streams.ts'

type Watching = Pick<ChangeWatch, 'wait' | 'leave'>

/** The watch of the process, for readers that must not wait while a listener drains. */
type ReleasableWatch = Watching & {
  isReleased(): boolean
  /** Wakes all readers. Later ones are woken at once. */
  release(): void
}

/** The parts that serve readers of the change log. */
export type ChangeReaders = {
  readonly changeWatch: ReleasableWatch
  readonly pageRoom: PageRoom
  readonly streams: OpenStreams
  /** The answers of organizations that wait for their turn, or for records. */
  readonly waiting: Shares<number>
}

/** `maxStreams`: of the process. */
export function openChangeReaders(
  changeWatch: Watching,
  parts: StreamParts,
  maxStreams: number,
  counts: StreamCounts,
): ChangeReaders {
  return {
    changeWatch: releasable(changeWatch),
    pageRoom: openPageRoom(ROOM_OF_CHANGES),
    streams: openStreams(maxStreams, parts, counts),
    waiting: countShares(),
  }
}

/** Answers waiting requests at once, and ends all streams. */
export function releaseReaders({ changeWatch, streams }: ChangeReaders): void {
  changeWatch.release()
  streams.close()
}

function releasable(changeWatch: Watching): ReleasableWatch {
  const waiting = new Set<WaitingReader>()
  let isReleased = false
  return {
    wait(organization, reader) {
      if (isReleased) return queueMicrotask(() => reader.wake())
      waiting.add(reader)
      changeWatch.wait(organization, reader)
    },
    leave(organization, reader) {
      waiting.delete(reader)
      changeWatch.leave(organization, reader)
    },
    isReleased: () => isReleased,
    release() {
      isReleased = true
      for (const reader of waiting) reader.wake()
    },
  }
}
