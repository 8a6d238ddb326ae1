import { useState } from 'react'
import { useLocation } from 'wouter'
import { ITEM_RULES } from '../../../server/src/base/domain/item-rules.ts'
import { change } from '../api/client.ts'
import type { PlaceKind } from '../api/queries.ts'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { t } from '../language/text.ts'
import { PlaceVisits } from '../records/PlaceVisits.tsx'
import { Button } from '../ui/Button.tsx'
import { Crumb } from '../ui/Crumb.tsx'
import { Changing } from '../ui/changing.tsx'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { Form, useTried } from '../ui/form/Form.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { forgetUnsaved, useUnsaved } from '../ui/page/navigation.ts'
import { useTitle } from '../ui/page/title.ts'
import { KINDS, type KindWords, type Place } from '../ui/place-kinds.ts'
import { Note } from '../ui/state/Note.tsx'
import { DeletePlace } from './DeletePlace.tsx'
import { PlaceFields } from './PlaceFields.tsx'
import { PlaceMap } from './PlaceMap.tsx'
import { draftOf, type PlaceDraft, patchOf, unfinished } from './place-draft.ts'

type EditPlaceProps = {
  organization: OrganizationSummary
  server: Server
  kind: PlaceKind
  /** Null: a new place. */
  place: Place | null
  others: Place[]
}

export function EditPlace({ organization, server, kind, place, others }: EditPlaceProps) {
  const words = KINDS[kind]
  const list = `/organizations/${organization.id}/places/${kind}`
  const title = place?.name ?? words.add
  useTitle(title, organization.name)
  const [, navigate] = useLocation()
  const [deleting, setDeleting] = useState(false)
  const { draft, isChanged, set } = usePlaceDraft(kind, place)
  const left = unfinished(kind, draft)
  const nameless = draft.name.trim() === ''
  const leave = () => {
    forgetUnsaved()
    navigate(list)
  }
  const save = useSavePlace(organization.id, kind, place, leave)
  const edit = (part: Partial<PlaceDraft>) => {
    set(part)
    // The map is outside of the form, and what was drawn may be what was refused.
    if (save.isError) save.reset()
  }
  return (
    <>
      <div>
        <Crumb to={list}>{words.all}</Crumb>
        <h1>{title}</h1>
      </div>
      <div className="place-page">
        <Form
          saving={save}
          isReady={!nameless && left === null}
          rules={ITEM_RULES[kind]}
          onSubmit={() => save.mutate(draft)}
        >
          <PlaceFields kind={kind} draft={draft} nameless={nameless} onChange={edit} />
          {left !== null && <Unfinished>{left}</Unfinished>}
          <PlaceButtons
            words={words}
            isBusy={save.isPending}
            isChanged={isChanged}
            onDelete={place === null ? undefined : () => setDeleting(true)}
          />
        </Form>
        <PlaceMap
          organization={organization}
          server={server}
          kind={kind}
          draft={draft}
          others={others}
          onChange={edit}
        />
      </div>
      {kind !== 'routes' && place !== null && (
        <PlaceVisits organization={organization} kind={kind} place={place.id} />
      )}
      {deleting && place !== null && (
        <DeletePlace
          organization={organization}
          kind={kind}
          place={place}
          onClose={() => setDeleting(false)}
          onDeleted={leave}
        />
      )}
    </>
  )
}

/** The drawn and typed changes of a place. The page asks before it loses them. */
function usePlaceDraft(kind: PlaceKind, place: Place | null) {
  const [changes, setChanges] = useState<Partial<PlaceDraft>>({})
  const draft = { ...draftOf(kind, place), ...changes }
  const patch = patchOf(kind, place, draft)
  // All fields of a new place are in its patch, changed or not.
  useUnsaved(Object.keys(place === null ? changes : patch).length > 0)
  return {
    draft,
    isChanged: Object.keys(patch).length > 0,
    set: (part: Partial<PlaceDraft>) => setChanges((before) => ({ ...before, ...part })),
  }
}

/** Creates a place, or changes it. */
function useSavePlace(
  organization: number,
  kind: PlaceKind,
  place: Place | null,
  onSaved: () => void,
) {
  const path = `/organizations/${organization}/${kind}`
  return useSaving({
    request: (draft: PlaceDraft) => {
      const patch = patchOf(kind, place, draft)
      return place === null
        ? change('POST', path, patch)
        : change('PATCH', `${path}/${place.id}`, patch)
    },
    refreshes: [['organization', organization, 'places'], ['audit']],
    done: (_, { name }) => t('{{name}} was saved.', { name }),
    onSaved,
  })
}

/** Names the part of a shape that is not drawn yet. */
function Unfinished({ children }: { children: string }) {
  return <Note kind={useTried() ? 'danger' : 'plain'}>{children}</Note>
}

type PlaceButtonsProps = {
  words: KindWords
  isBusy: boolean
  isChanged: boolean
  /** Undefined: a new place. */
  onDelete: (() => void) | undefined
}

function PlaceButtons({ words, isBusy, isChanged, onDelete }: PlaceButtonsProps) {
  return (
    <Changing>
      <Actions start>
        <Button type="submit" look="primary" busy={isBusy} disabled={!isChanged}>
          {words.save}
        </Button>
        {onDelete !== undefined && (
          <Button look="remove" onClick={onDelete}>
            {words.delete}…
          </Button>
        )}
      </Actions>
    </Changing>
  )
}
