import { ApiError } from '../../src/contract/errors.ts';

/** 503 if no page leads, so that no engine runs. */
export function noLeader(): ApiError {
  return unavailable(
    'no_engine',
    'No open tab of this site runs the models yet: open one, or give the one that is loading a moment.',
  );
}

/** 503 if the leader's engine is gone: its tab was closed or reloaded, or its worker ended or hung. */
export function engineLost(): ApiError {
  return unavailable(
    'engine_lost',
    'The engine that ran the model is gone: its tab was closed or reloaded, or the browser ended it. The next one takes over: try again.',
  );
}

/** 503 if the page that runs the model is frozen. */
export function engineFrozen(): ApiError {
  return unavailable(
    'engine_lost',
    'The tab that runs the model does not respond: the browser has frozen it. Open that tab, or another one, and try again.',
  );
}

function unavailable(code: string, message: string): ApiError {
  return new ApiError({
    status: 503,
    type: 'server_error',
    code,
    param: null,
    message,
    headers: { 'retry-after': '1' },
  });
}
