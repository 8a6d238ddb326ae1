import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import type { Organization } from './organization.entity.ts'

/** A request behind the key guard. */
export type AuthenticatedRequest = FastifyRequest & { organization: Organization }

export const CurrentOrganization = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Organization =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().organization,
)
