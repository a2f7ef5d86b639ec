/** Matches images that browsers draw and that can't contain scripts. */
export const IMAGE_URL: RegExp = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[\w+/=]*$/;
