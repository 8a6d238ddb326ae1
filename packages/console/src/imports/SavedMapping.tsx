import { useSavedMappings } from '../api/queries.ts'
import { Phrase } from '../language/Phrase.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Time } from '../ui/time/Time.tsx'
import { ChangeMapping } from './ChangeMapping.tsx'

type SavedMappingProps = {
  organization: number
  /** The id of the mapping by which the file is read. */
  id: number
}

/** The choices of an earlier file with the same headings, by which this one is read. They can be renamed and forgotten. */
export function SavedMapping({ organization, id }: SavedMappingProps) {
  const saved = useSavedMappings(organization)
  const mapping = saved.data?.items.find((each) => each.id === id)
  if (mapping === undefined) return null
  return (
    <Note>
      <p>
        <Phrase
          text={'Read as <strong>{{name}}</strong>, with the settings saved on <time />.'}
          values={{ name: mapping.name }}
          parts={{ strong: <strong />, time: <Time value={mapping.saved_at} /> }}
        />
      </p>
      <ChangeMapping organization={organization} mapping={mapping} />
    </Note>
  )
}
