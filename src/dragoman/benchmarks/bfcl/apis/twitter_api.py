"""`TwitterAPI`: short public posts with comments and followers."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.benchmarks.bfcl.apis.results import LongTexts
from dragoman.benchmarks.bfcl.apis.scenario_values import CopyOnWrite, deep_copy

Tweet = dict[str, Any]
"""A post as data; those of an entry may lack any field."""

_USERNAME, _PASSWORD = "john", "john123"
_FOLLOWED = ("alice", "bob")


class TwitterAPI:
    """The posts of one world, seen from one user's account."""

    __slots__ = (
        "_alike",
        "_comments",
        "_counter",
        "_following",
        "_is_authenticated",
        "_mentioned",
        "_password",
        "_retweets",
        "_tweets",
        "_username",
    )

    def __init__(self, scenario: Mapping[str, Any], _long: LongTexts | None) -> None:
        self._username: str = scenario.get("username", _USERNAME)
        self._password: str = scenario.get("password", _PASSWORD)
        self._is_authenticated: bool = scenario.get("authenticated", False)
        tweets = scenario.get("tweets", {})
        self._tweets: CopyOnWrite[dict[int, Tweet]] = CopyOnWrite(
            {int(key): tweets[key] for key in tweets}
        )
        self._comments: CopyOnWrite[dict[Any, list[dict[str, str]]]] = CopyOnWrite(
            scenario.get("comments", {})
        )
        self._retweets: CopyOnWrite[dict[str, list[int]]] = CopyOnWrite(
            scenario.get("retweets", {})
        )
        following = scenario.get("following_list")
        self._following: CopyOnWrite[list[str]] = CopyOnWrite(
            [*_FOLLOWED] if following is None else following
        )
        self._counter: int = scenario.get("tweet_counter", 0)
        # The reference has one list for all posts without mentions: who is added to one is in all.
        self._alike: set[int] = set()
        self._mentioned: list[str] = []

    def state(self) -> dict[str, object]:
        """Return the attributes by which worlds are compared."""
        return {
            "username": self._username,
            "password": self._password,
            "authenticated": self._is_authenticated,
            "tweets": self._tweets.shown(),
            "comments": self._comments.shown(),
            "retweets": self._retweets.shown(),
            "following_list": self._following.shown(),
            "tweet_counter": self._counter,
        }

    def authenticate_twitter(self, username: str, password: str) -> dict[str, object]:
        """Log in to the account."""
        if username != self._username or password != self._password:
            return {"authentication_status": False}
        self._is_authenticated = True
        return {"authentication_status": True}

    def posting_get_login_status(self) -> dict[str, object]:
        """Return whether the account is logged in."""
        return {"login_status": bool(self._is_authenticated)}

    def post_tweet(
        self, content: str, tags: Sequence[str] = (), mentions: Sequence[str] = ()
    ) -> Tweet:
        """Post a text."""
        if not self._is_authenticated:
            return _not_authenticated("posting")
        tweet: Tweet = {
            "id": self._counter,
            "username": self._username,
            "content": content,
            "tags": [] if tags == () else tags,
            "mentions": self._mentioned if mentions == () else mentions,
        }
        self._tweets.own()[self._counter] = tweet
        if mentions == ():
            self._alike.add(self._counter)
        else:
            self._alike.discard(self._counter)
        self._counter += 1
        return tweet

    def retweet(self, tweet_id: int) -> dict[str, object]:
        """Repeat a post."""
        if not self._is_authenticated:
            return _not_authenticated("retweeting")
        if tweet_id not in self._tweets.value:
            return _not_found(tweet_id)
        retweets = self._retweets.value.get(self._username, [])
        if tweet_id in retweets:
            return {"retweet_status": "Already retweeted"}
        self._retweets.own()[self._username] = [*retweets, tweet_id]
        return {"retweet_status": "Successfully retweeted"}

    def comment(self, tweet_id: int, comment_content: str) -> dict[str, object]:
        """Comment on a post."""
        if not self._is_authenticated:
            return _not_authenticated("commenting")
        if tweet_id not in self._tweets.value:
            return _not_found(tweet_id)
        comment = {"username": self._username, "content": comment_content}
        self._comments.own()[tweet_id] = [*self._comments.value.get(tweet_id, ()), comment]
        return {"comment_status": "Comment added successfully"}

    def mention(self, tweet_id: int, mentioned_usernames: list[str]) -> dict[str, object]:
        """Mention users in a post; needs no login."""
        if tweet_id not in self._tweets.value:
            return _not_found(tweet_id)
        mentions = deep_copy(self._tweets.value[tweet_id]["mentions"])
        mentions.extend(mentioned_usernames)
        tweets = self._tweets.own()
        if tweet_id in self._alike:
            self._mentioned = mentions
        for each in self._alike if tweet_id in self._alike else (tweet_id,):
            tweets[each] = {**tweets[each], "mentions": mentions}
        return {"mention_status": "Users mentioned successfully"}

    def follow_user(self, username_to_follow: str) -> dict[str, object]:
        """Follow a user."""
        if not self._is_authenticated:
            return _not_authenticated("following")
        if username_to_follow in self._following.value:
            return {"follow_status": False}
        self._following.own().append(username_to_follow)
        return {"follow_status": True}

    def list_all_following(self) -> dict[str, object]:
        """Return whom the account follows."""
        if not self._is_authenticated:
            return _not_authenticated("listing following")
        return {"following_list": self._following.value}

    def unfollow_user(self, username_to_unfollow: str) -> dict[str, object]:
        """Stop following a user."""
        if not self._is_authenticated:
            return _not_authenticated("unfollowing")
        if username_to_unfollow not in self._following.value:
            return {"unfollow_status": False}
        self._following.own().remove(username_to_unfollow)
        return {"unfollow_status": True}

    def get_tweet(self, tweet_id: int) -> Tweet:
        """Return a post."""
        if tweet_id not in self._tweets.value:
            return _not_found(tweet_id)
        return self._tweets.value[tweet_id]

    def get_user_tweets(self, username: str) -> list[Tweet]:
        """Return a user's posts."""
        return [tweet for tweet in self._tweets.value.values() if tweet["username"] == username]

    def search_tweets(self, keyword: str) -> list[Tweet]:
        """Return the posts that contain a text or have it as a tag, in any case."""
        return [
            tweet
            for tweet in self._tweets.value.values()
            if keyword.lower() in tweet["content"].lower()
            or keyword.lower() in [tag.lower() for tag in tweet["tags"]]
        ]

    def get_tweet_comments(self, tweet_id: int) -> list[dict[str, str]] | dict[str, object]:
        """Return the comments on a post; those that an entry starts with are never found."""
        if tweet_id not in self._tweets.value:
            return _not_found(tweet_id)
        return self._comments.value.get(tweet_id, [])

    def get_user_stats(self, username: str) -> dict[str, object]:
        """Return how much a user posted, followed and repeated; of others nothing of the latter."""
        tweets = self._tweets.value.values()
        return {
            "tweet_count": len([tweet for tweet in tweets if tweet["username"] == username]),
            "following_count": len(self._following.value) if username == self._username else 0,
            "retweet_count": len(self._retweets.value.get(username, [])),
        }


def _not_authenticated(doing: str) -> dict[str, object]:
    return {"error": f"User not authenticated. Please authenticate before {doing}."}


def _not_found(tweet_id: int) -> dict[str, object]:
    return {"error": f"Tweet with ID {tweet_id} not found."}
