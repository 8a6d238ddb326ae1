import { ButtonLink } from '../Button.tsx'
import { useTitle } from '../page/title.ts'
import { Empty } from './Empty.tsx'

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
