import { ButtonLink } from '../ui/Button.tsx'
import { Empty } from '../ui/state/Empty.tsx'
import { useTitle } from './title.ts'

export function NotFound() {
  useTitle('Not found')
  return (
    <>
      <h1>Not found</h1>
      <Empty
        title="This page does not exist"
        action={
          <ButtonLink to="/" look="primary">
            All organizations
          </ButtonLink>
        }
      >
        The address is wrong.
      </Empty>
    </>
  )
}
