import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  HttpStatus,
  Logger,
} from '@nestjs/common'
import type { FastifyReply } from 'fastify'
import { Refusal } from './refusal.ts'

/** Sends every error in the form of the contract. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name)

  catch(exception: unknown, host: ArgumentsHost): void {
    const isHttp = exception instanceof HttpException
    if (!isHttp) this.logger.error(exception)
    const statusCode = isHttp ? exception.getStatus() : HttpStatus.INTERNAL_SERVER_ERROR
    const message = isHttp ? exception.message : 'Internal Server Error'
    const body = exception instanceof Refusal ? exception.getResponse() : undefined
    host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .status(statusCode)
      .send({
        statusCode,
        errorCode: 'ERR999',
        message,
        ...(body as object),
        timestamp: new Date().toISOString(),
      })
  }
}
