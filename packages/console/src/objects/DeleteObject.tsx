import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { change } from '../api/client.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { forgetUnsaved } from '../app/navigation.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'

type DeleteObjectProps = { organization: OrganizationSummary; object: FleetObject }

export function DeleteObject({ organization, object }: DeleteObjectProps) {
  const [asked, setAsked] = useState(false)
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return (
    <Card danger title="Delete object" lead={`Deletes ${object.name} and all its positions.`}>
      <div className="row">
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete object…
        </Button>
      </div>
      {asked && (
        <Confirm
          title={`Delete ${object.name}?`}
          action="Delete object"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await change('DELETE', `/organizations/${organization.id}/objects/${object.id}`)
            forgetUnsaved()
            navigate(`/organizations/${organization.id}/objects`)
            client.removeQueries({
              queryKey: ['organization', organization.id, 'object', object.id],
            })
            await client.invalidateQueries({ queryKey: ['organization', organization.id] })
            toast(`${object.name} was deleted.`)
          }}
        >
          <p>
            All its positions, past and present, go with it. It cannot be undone, other than from a
            backup.
          </p>
          <p>
            {organization.create_objects
              ? 'Its tracker goes on sending: with its next packet a new, empty object of the same ident comes into being. Take the tracker’s feed token away, or turn off “Create objects automatically”, if that is not wanted.'
              : 'If its tracker goes on sending, what it sends is refused.'}
          </p>
        </Confirm>
      )}
    </Card>
  )
}
