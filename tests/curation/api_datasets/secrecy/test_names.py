"""Credentials are recognized by name in about twenty languages, similar names are not."""

import pytest

from dragoman.curation.api_datasets.credential_detection import parameter_kind

CREDENTIALS = """
X-API-Key X-Auth-Token apiKey api_key apikey APIKEY key token jeton clé cle chave schluessel Schlüssel X-Auth-Cle jeton_acces
jetonAcces cle_api cléApi clé-d-accès clave_api claveDeApi apiSchluessel Zugriffsschlüssel senha contraseña passwort
motDePasse mot_de_passe access_token accessToken X-Access-Token appid app_id client_id client_secret session_id csrftoken
X-CSRF-Token Authorization Proxy-Authorization x-rapidapi-key Ocp-Apim-Subscription-Key serviceKey ServiceKey 密钥 令牌 APIキー
アクセストークン 토큰 인증키 ключ токен api_ключ PRIVATE-TOKEN X-Gitlab-Token X-Vault-Token user_key subscription-key sig
password Cookie X-Functions-Key llave khoá mật_khẩu kata_sandi AuthToken authkey oauth_token X-Token X-Key X-Secret-Key
bearerToken jwt x-amz-security-token refresh_token X-Jeton X-Api-Clé MY_API_TOKEN
"""
OTHERS = """
keyword keywords monkey page_token nextPageToken pageToken max_tokens tokens token_symbol tokenId contract_token author authors
primary_key sort_key keyCode kata_kunci mot_cle mots-clés palavra_chave palabra_clave gemeindeschluessel name q limit country
parola session pin turkey passenger passport compass secretary keyboard total_tokens requestId id
"""
TRACING = """
X-Request-ID X-Correlation-ID traceparent tracestate Idempotency-Key x-b3-traceid X-Amzn-Trace-Id requestId correlation_id
"""


@pytest.mark.parametrize("name", CREDENTIALS.split())
def test_the_name_of_a_credential_is_one(name: str) -> None:
    assert parameter_kind(name) == "credential"


@pytest.mark.parametrize("name", OTHERS.split())
def test_what_only_sounds_like_a_credential_is_none(name: str) -> None:
    assert parameter_kind(name) == ""


@pytest.mark.parametrize("name", TRACING.split())
def test_an_id_that_follows_requests_is_one(name: str) -> None:
    assert parameter_kind(name, is_header=True) == "tracing"
