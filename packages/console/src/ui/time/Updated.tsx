import { Phrase } from '../../language/Phrase.tsx'
import { Time } from './Time.tsx'

/** The age of what is known. */
export function Updated({ at }: { at: string }) {
  return (
    <span>
      <Phrase text="Updated <time />" parts={{ time: <Time value={at} as="ago" quiet /> }} />
    </span>
  )
}
