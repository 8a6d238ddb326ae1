import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ITEM_RULES } from '../../../server/src/domain/items.ts'
import { change } from '../api/client.ts'
import type { PlaceKind } from '../api/queries.ts'
import type { OrganizationSummary, Server } from '../api/types.ts'
import { forgetUnsaved, useUnsaved } from '../app/navigation.ts'
import { useTitle } from '../app/title.ts'
import { PlaceVisits } from '../records/PlaceVisits.tsx'
import { Button } from '../ui/Button.tsx'
import { Changing } from '../ui/changing.tsx'
import { Actions } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Form } from '../ui/form/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Note } from '../ui/state/Note.tsx'
import { DeletePlace } from './DeletePlace.tsx'
import { draftOf, type PlaceDraft, patchOf, unfinished } from './draft.ts'
import { KINDS, type Place } from './kinds.ts'
import { PlaceFields } from './PlaceFields.tsx'
import { PlaceMap } from './PlaceMap.tsx'

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
  const title = place?.name ?? words.newTitle
  useTitle(title, organization.name)
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [changes, setChanges] = useState<Partial<PlaceDraft>>({})
  const [tried, setTried] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const draft = { ...draftOf(kind, place), ...changes }
  const patch = patchOf(kind, place, draft)
  // All fields of a new place are in its patch, changed or not.
  useUnsaved(Object.keys(place === null ? changes : patch).length > 0)
  const left = unfinished(kind, draft)
  const nameless = draft.name.trim() === ''
  const leave = () => {
    forgetUnsaved()
    navigate(list)
  }
  const save = useMutation({
    mutationFn: () =>
      place === null
        ? change('POST', `/organizations/${organization.id}/${kind}`, patch)
        : change('PATCH', `/organizations/${organization.id}/${kind}/${place.id}`, patch),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['organization', organization.id, 'places'] }),
        client.invalidateQueries({ queryKey: ['audit'] }),
      ])
      toast(`${draft.name} was saved.`)
      leave()
    },
  })
  const set = (part: Partial<PlaceDraft>) => {
    setChanges((before) => ({ ...before, ...part }))
    // The map is outside of the form, and what was drawn may be what was refused.
    if (save.isError) save.reset()
  }
  return (
    <>
      <div>
        <Link href={list} className="crumb">
          <Icon name="back" size={14} />
          {`All ${words.many}`}
        </Link>
        <h2>{title}</h2>
      </div>
      <div className="place-page">
        <Form
          error={save.error}
          rules={ITEM_RULES[kind]}
          onSubmit={() => {
            setTried(true)
            if (!nameless && left === null && !save.isPending) save.mutate()
          }}
        >
          <PlaceFields kind={kind} draft={draft} nameless={tried && nameless} onChange={set} />
          {left !== null && <Note kind={tried ? 'danger' : 'plain'}>{left}</Note>}
          <Changing>
            <Actions start>
              <Button
                type="submit"
                look="primary"
                busy={save.isPending}
                disabled={Object.keys(patch).length === 0}
              >
                {`Save ${words.one}`}
              </Button>
              {place !== null && (
                <Button look="remove" onClick={() => setDeleting(true)}>
                  {`Delete ${words.one}…`}
                </Button>
              )}
            </Actions>
          </Changing>
        </Form>
        <PlaceMap
          organization={organization}
          server={server}
          kind={kind}
          draft={draft}
          others={others}
          onChange={set}
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
